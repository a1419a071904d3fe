import { connect } from "countersign";

const countersign = await connect();
const receipt = await countersign.submit({ source: "shop", id: "evt_3", type: "order.created", data: { total: 42 } });
const state = await countersign.settled(receipt.key, { timeout: "30s" });
await countersign.close();

console.log(state.state);
