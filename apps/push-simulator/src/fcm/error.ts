/** A Google API error, ready to be sent. */
export interface GoogleError {
  status: number;
  /** What a record calls it: FCM's own code where there is one. */
  reason: string;
  body: {
    error: { code: number; message: string; status: string; details?: Record<string, unknown>[] };
  };
}

const statusNames: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};
/** The codes of FCM, each with its status. */
export const codeStatus: Record<string, number> = {
  INVALID_ARGUMENT: 400,
  UNREGISTERED: 404,
  SENDER_ID_MISMATCH: 403,
  QUOTA_EXCEEDED: 429,
  UNAVAILABLE: 503,
  INTERNAL: 500,
  THIRD_PARTY_AUTH_ERROR: 401,
  UNSPECIFIED_ERROR: 500,
};

/** An error of FCM itself: it carries FCM's own code in its details. */
export function fcmError(errorCode: string, message: string, status = codeStatus[errorCode] ?? 500) {
  return googleError(status, message, [
    { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode },
  ]);
}

/** An error of the layer in front of FCM (auth, routing, JSON): no code of FCM in it. */
export function googleError(
  status: number,
  message: string,
  details?: Record<string, unknown>[],
): GoogleError {
  const name = statusNames[status] ?? 'UNKNOWN';
  const errorCode = details?.find((detail) => 'errorCode' in detail)?.errorCode;
  return {
    status,
    reason: typeof errorCode === 'string' ? errorCode : name,
    body: { error: { code: status, message, status: name, ...(details ? { details } : {}) } },
  };
}

/** The error for a body that is no JSON. */
export const invalidJson = () =>
  googleError(400, 'Invalid JSON payload received. Unexpected token.', [
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ description: 'Invalid JSON payload received. Unexpected token.' }],
    },
  ]);
