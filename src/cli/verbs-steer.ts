/** The verbs that steer one delivery on its way. Commands are loaded when they run. */
import type { Command } from "commander";
import type { ResolutionCommand } from "./commands/resolution.ts";
import type { Perform, WithJson } from "./perform.ts";
import { addResolution } from "./verbs-events.ts";

export function addSteeringVerbs(program: Command, perform: Perform): void {
  addResolution(program, "hurry", "end a retry wait now, never before the Retry-After of the endpoint").action(
    async (key: string, options: ResolutionCommand & WithJson) => {
      await perform(
        "hurry",
        options,
        async (context) => await (await import("./commands/hurry.ts")).hurry(context, key, options),
      );
    },
  );
  addResolution(program, "hold", "stop one delivery: nothing is sent until it is released").action(
    async (key: string, options: ResolutionCommand & WithJson) => {
      await perform(
        "hold",
        options,
        async (context) => await (await import("./commands/hold.ts")).hold(context, key, options),
      );
    },
  );
  addResolution(program, "release", "let a delivery that is held go on").action(
    async (key: string, options: ResolutionCommand & WithJson) => {
      await perform(
        "release",
        options,
        async (context) => await (await import("./commands/release.ts")).release(context, key, options),
      );
    },
  );
}
