/** Limits and timeouts for one client. */
export interface ClientLimits {
  /** Timeout for the headers of a request. */
  readonly headersMs: number;
  /** Until its body is there too, however fast it comes. */
  readonly requestMs: number;
  /** Timeout without a byte from the client, or an answer of the app. */
  readonly silentMs: number;
  /** Maximum of open requests and WebSockets of a session. */
  readonly openPerSession: number;
  /** Timeout for running exchanges when the program stops. */
  readonly finishMs: number;
}

export const defaultLimits: ClientLimits = {
  headersMs: 15_000,
  requestMs: 30 * 60_000,
  silentMs: 60_000,
  openPerSession: 256,
  finishMs: 20_000,
};
