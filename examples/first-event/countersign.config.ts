/** The smallest useful configuration: one source, one endpoint, one route. */
import { defineConfig } from "countersign";

export default defineConfig({
  sources: { shop: {} },
  endpoints: {
    crm: { url: "http://127.0.0.1:9000/events", allowPrivate: ["127.0.0.0/8"], retry: "quick" },
  },
  routes: [{ match: { source: "shop", type: "order.*" }, to: ["crm"] }],
});
