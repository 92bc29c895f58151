/** Why a request is not done: what it is answered with instead. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly body: Readonly<Record<string, unknown>>,
  ) {
    super(String(body.error));
  }
}

/** The caller sent something that the control API does not take. */
export class BadInput extends Problem {
  constructor(error: string) {
    super(400, { error });
  }
}
