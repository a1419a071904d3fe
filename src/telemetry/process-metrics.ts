/**
 * The process itself, under the names every dashboard knows.
 *
 * Not prom-client's default set: it measures event loop delay between two scrapes, so that two scrapers
 * disturb each other, and looks into private parts of Node.
 */
import { performance } from "node:perf_hooks";
import { Counter, Gauge, type Registry } from "prom-client";

const MICROSECONDS = 1_000_000;

export function addProcessMetrics(registry: Registry): void {
  const registers = [registry];
  const started = new Gauge({
    name: "process_start_time_seconds",
    help: "When the process started, Unix time",
    registers,
  });
  started.set(performance.timeOrigin / 1000);
  void new Gauge({
    name: "process_resident_memory_bytes",
    help: "Memory of the process that is not swapped out",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  void new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time, user and system",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / MICROSECONDS);
    },
  });
  void new Counter({
    name: "nodejs_eventloop_time_seconds_total",
    help: "What the event loop did with its time; it is full when active grows by a second in a second",
    labelNames: ["nodejs_eventloop_state"],
    registers,
    collect() {
      const { active, idle } = performance.eventLoopUtilization();
      this.reset();
      this.inc({ nodejs_eventloop_state: "active" }, active / 1000);
      this.inc({ nodejs_eventloop_state: "idle" }, idle / 1000);
    },
  });
}
