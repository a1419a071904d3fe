/** The process that is measured: one contender, which submits what it is told to. Argument: `Stage` as JSON. */
import { answerParent } from "./child.ts";
import type { ContenderSkills, Stage } from "./scenario.ts";
import { scenarioNamed } from "./scenarios/all.ts";

const stage = JSON.parse(process.argv[2] ?? "") as Stage; // written by `startChild`
const contender = await scenarioNamed(stage.scenario).open(stage);

const skills: ContenderSkills = {
  async submit(event) {
    const submittedAtMs = Date.now();
    const startedMs = performance.now();
    const workflowId = await contender.submit(event);
    return { workflowId, submittedAtMs, acceptedMs: performance.now() - startedMs };
  },
  usage() {
    const { user, system } = process.cpuUsage();
    return { cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss() };
  },
};
answerParent(skills, async () => await contender.close());
