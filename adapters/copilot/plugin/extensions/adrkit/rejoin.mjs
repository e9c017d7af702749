// Joining again after a refusal, in the same process.
//
// A refused join leaves its connection reading stdin, without a session (measured on the SDK of Copilot CLI 1.0.102). The
// next join adds a second reader, and both answer every request; the first one answers sooner, with "No session found". So
// the workflow would be registered, and every run of it would fail. Here the refused join's reader is taken off stdin.

const EVENTS = ["data", "end", "error", "close", "readable"];

/** `joinSession`, with the traces of a refused join removed. */
export function createJoin(joinSession, stdin = process.stdin) {
  return async (config) => {
    const before = new Map(EVENTS.map((event) => [event, stdin.listeners(event)]));
    try {
      return await joinSession(config);
    } catch (error) {
      // Paused until the next reader is there, or what arrives in between would be lost.
      stdin.pause();
      for (const [event, kept] of before) {
        for (const listener of stdin.listeners(event)) if (!kept.includes(listener)) stdin.removeListener(event, listener);
      }
      stdin.on("newListener", function resume(event) {
        if (event !== "data") return;
        stdin.removeListener("newListener", resume);
        queueMicrotask(() => stdin.resume());
      });
      throw error;
    }
  };
}
