/** How much one client may take of the program, and how long. */
export interface ClientLimits {
  /** Until a request's headers are there. */
  readonly headersMs: number;
  /** Until its body is there too, however fast it comes. */
  readonly requestMs: number;
  /** Without a byte from the client, or an answer of the app. */
  readonly silentMs: number;
  /** Requests and WebSockets that a session may have open. */
  readonly openPerSession: number;
  /** What is under way when the program is asked to stop. */
  readonly finishMs: number;
}

export const defaultLimits: ClientLimits = {
  headersMs: 15_000,
  requestMs: 30 * 60_000,
  silentMs: 60_000,
  openPerSession: 256,
  finishMs: 20_000,
};
