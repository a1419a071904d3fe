/** What stands in an answer of `/metrics`. */

/** Name and labels as written, such as `a_total{b="c"}` → value. */
export function seriesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(" ");
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** Name → type, also of metrics that have no value yet. */
export function familiesOf(text: string): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]));
}

/** Metric → names of its labels, of those that have values; a histogram without its own `le`. */
export function labelsOf(text: string): ReadonlyMap<string, readonly string[]> {
  const types = familiesOf(text);
  const labels = new Map<string, readonly string[]>();
  for (const series of seriesOf(text).keys()) {
    const [written = "", rest = ""] = series.split("{", 2);
    const name = types.has(written) ? written : written.replace(/_(?:bucket|sum|count)$/, "");
    labels.set(
      name,
      [...rest.matchAll(/(\w+)="/g)].flatMap(([, label = ""]) => (label === "le" ? [] : [label])),
    );
  }
  return labels;
}
