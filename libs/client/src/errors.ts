/** What is wrong with one field of a request. */
export interface ApiIssue {
  readonly path: string;
  readonly message: string;
  readonly code: string;
}

/** An answer that is an error, as the API describes it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    message: string,
    readonly status: number,
    /** Such as `VALIDATION_FAILED`; `HTTP_502` where the answer was not the API's own. */
    readonly code: string,
    readonly issues: readonly ApiIssue[],
    /** For the operator's logs. */
    readonly requestId: string | undefined,
    /** The whole body, with the members that only some codes have. */
    readonly body: unknown,
  ) {
    super(message);
  }
}

/** No whole answer came: whether the request was carried out is unknown. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(
    message: string,
    /** It is known that a connection came about, and was cut. */
    readonly wasCut = false,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isIssue = (value: unknown): value is ApiIssue => isObject(value) && typeof value['path'] === 'string';

export function apiError(response: Response, body: unknown): ApiError {
  const { error, code, issues } = isObject(body) ? body : {};
  return new ApiError(
    typeof error === 'string' ? error : `The server answered ${response.status}`,
    response.status,
    typeof code === 'string' ? code : `HTTP_${response.status}`,
    Array.isArray(issues) ? issues.filter(isIssue) : [],
    response.headers.get('x-request-id') ?? undefined,
    body,
  );
}
