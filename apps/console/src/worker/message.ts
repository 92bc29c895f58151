/** What a button of a notification does. */
export interface Button {
  readonly action: string;
  readonly title: string;
}

/** What a notification keeps for the click on it. */
export interface Kept {
  /** The page of the console that shows it. */
  readonly path: string;
  readonly promptId?: string;
  readonly actionDigest?: string;
  readonly pageId?: string;
  readonly escalationStep?: number;
  /** The device that was rung, which the server notes as the one that answered. */
  readonly deviceId?: string;
}

export interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag?: string;
  readonly silent: boolean;
  readonly actions: readonly Button[];
  readonly kept: Kept;
}

/** For bytes that say nothing: a push that shows nothing costs the subscription. */
const unreadable: Shown = {
  title: 'Carillon',
  body: 'There is something new in your inbox.',
  silent: false,
  actions: [],
  kept: { path: '/console/' },
};

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? { ...value } : {};
const text = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined);

/** Reads a message in the form of Declarative Web Push. */
export function shownOf(message: string | undefined, origin: string): Shown {
  let notification: Fields;
  try {
    notification = fieldsOf(fieldsOf(JSON.parse(message ?? ''))['notification']);
  } catch {
    return unreadable;
  }
  const title = text(notification['title']);
  if (title === undefined) return unreadable;
  const data = fieldsOf(notification['data']);
  const step = data['escalationStep'];
  const kept = {
    promptId: text(data['promptId']),
    actionDigest: text(data['actionDigest']),
    pageId: text(data['pageId']),
    deviceId: text(data['deviceId']),
    ...(typeof step === 'number' && { escalationStep: step }),
  };
  return {
    title,
    body: text(notification['body']) ?? '',
    tag: text(notification['tag']),
    silent: notification['silent'] === true,
    actions: buttonsOf(notification['actions']),
    kept: { path: pathOf(text(notification['navigate']), origin), ...kept },
  };
}

const buttonsOf = (given: unknown): readonly Button[] =>
  (Array.isArray(given) ? given : []).map(fieldsOf).flatMap((each) => {
    const [action, title] = [text(each['action']), text(each['title'])];
    return action === undefined || title === undefined ? [] : [{ action, title }];
  });

/** A page of the console. A message cannot lead anywhere else. */
function pathOf(url: string | undefined, origin: string): string {
  try {
    const parsed = new URL(url ?? '', origin);
    if (parsed.origin === origin && parsed.pathname.startsWith('/console/')) return parsed.pathname;
  } catch {
    // not a URL
  }
  return '/console/';
}

/** The request of a pressed button; undefined where the notification has nothing to answer. */
export function requestOf(action: string, kept: Kept): { path: string; body: object } | undefined {
  const { promptId, actionDigest, pageId, escalationStep, deviceId } = kept;
  if (promptId !== undefined && actionDigest !== undefined)
    return {
      path: `/prompts/${promptId}/answer`,
      body: { answer: action, actionDigest, ...(deviceId !== undefined && { deviceId }) },
    };
  if (pageId !== undefined && (action === 'acknowledge' || action === 'escalate'))
    return {
      path: `/pages/${pageId}/${action}`,
      body: action === 'escalate' && escalationStep !== undefined ? { escalationStep } : {},
    };
  return undefined;
}

/** Why an answer was not taken, in words; `status` is undefined where no answer of the server came. */
export function failureOf(status: number | undefined, code: string | undefined): string {
  if (status === undefined) return 'Not sent: there is no connection. Press here to answer on the page.';
  if (status === 401) return 'Not sent: you are signed out. Press here to sign in.';
  if (code === 'DIGEST_MISMATCH') return 'Not taken: the question has changed. Press here to read it again.';
  if (status === 409) return 'Too late: it was answered already. Press here to see how.';
  return 'Not taken. Press here to see why.';
}
