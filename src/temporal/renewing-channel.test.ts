import { type Channel, connectivityState } from "@grpc/grpc-js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { renewingChannel } from "./renewing-channel.ts";

const HANGS_AFTER_MS = 100;

interface Opened {
  state: connectivityState;
  calls: number;
  closed: boolean;
}

const opened: Opened[] = [];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  opened.length = 0;
});

/** As much of a channel as is asked here; it begins to connect when it is opened. */
function open(): Channel {
  const own: Opened = { state: connectivityState.CONNECTING, calls: 0, closed: false };
  opened.push(own);
  const channel = {
    getConnectivityState: () => own.state,
    createCall: () => void (own.calls += 1),
    close: () => void (own.closed = true),
  };
  return channel as unknown as Channel; // the rest is not called
}

function aChannel() {
  const channel = renewingChannel(open, HANGS_AFTER_MS);
  const call = (): void => void channel.createCall("/service/method", Infinity, null, null, null);
  return { channel, call };
}

describe("a channel", () => {
  test("that hangs while it connects is replaced, and what is called then goes to the new one", () => {
    const { call } = aChannel();
    call();
    vi.advanceTimersByTime(HANGS_AFTER_MS - 1);
    expect(opened).toHaveLength(1);
    vi.advanceTimersByTime(1);
    call();
    expect(opened).toMatchObject([
      { calls: 1, closed: true },
      { calls: 1, closed: false },
    ]);
  });

  test.each([connectivityState.READY, connectivityState.TRANSIENT_FAILURE, connectivityState.IDLE])(
    "that is in state %i by then stays",
    (state) => {
      const { call } = aChannel();
      call();
      for (const one of opened) one.state = state;
      vi.advanceTimersByTime(10 * HANGS_AFTER_MS);
      expect(opened).toMatchObject([{ closed: false }]);
    },
  );

  test("is given twice as long each time, and as long as at first once it was ready", () => {
    const { call } = aChannel();
    call();
    vi.advanceTimersByTime(HANGS_AFTER_MS);
    call();
    vi.advanceTimersByTime(HANGS_AFTER_MS);
    expect(opened).toHaveLength(2);
    vi.advanceTimersByTime(HANGS_AFTER_MS);
    expect(opened).toHaveLength(3);
    const [, , last] = opened;
    if (last !== undefined) last.state = connectivityState.READY;
    call();
    if (last !== undefined) last.state = connectivityState.CONNECTING;
    call();
    vi.advanceTimersByTime(HANGS_AFTER_MS);
    expect(opened).toHaveLength(4);
  });

  test("that was closed is never opened again", () => {
    const { channel, call } = aChannel();
    call();
    channel.close();
    vi.advanceTimersByTime(10 * HANGS_AFTER_MS);
    expect(opened).toMatchObject([{ closed: true }]);
  });
});
