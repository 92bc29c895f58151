import { type CarillonAnswer, type AnswerFields, isFields, textIn } from '../carillon/answer';
import type { Visitor } from '../headers/request-headers';

/** What Carillon said a session may do, until it is asked again. */
export interface Grant {
  readonly session: string;
  readonly user: Visitor;
  readonly appId: string | null;
  readonly target: URL;
}

/** The state of a pass or a session. */
export type GrantState<Given = Grant> =
  | { readonly kind: 'open'; readonly grant: Given }
  /** The pass or the session is not good, or not any more. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'no-route' }
  /** The program itself is refused: its token, its connector. */
  | { readonly kind: 'not-welcome'; readonly code: string }
  /** Nothing is known. */
  | { readonly kind: 'away'; readonly why: string }
  /** Nobody is asked for so long. */
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number };

/** What follows from an answer about a pass or a session. */
export function grantStateOf(answer: CarillonAnswer): GrantState {
  if (answer.kind === 'away' || answer.kind === 'busy') return answer;
  if (answer.kind === 'yes') {
    const grant = grantIn(answer.body);
    return grant ? { kind: 'open', grant } : { kind: 'away', why: 'an answer that is not understood' };
  }
  switch (answer.code) {
    case 'PASS_INVALID':
    case 'SESSION_INVALID':
      return { kind: 'ended' };
    case 'CONNECTOR_DISABLED':
      return { kind: 'disabled' };
    case 'ROUTE_NAME_NOT_FOUND':
      return { kind: 'no-route' };
    default:
      return { kind: 'not-welcome', code: answer.code };
  }
}

function grantIn(body: AnswerFields): Grant | undefined {
  const [session, target, user] = [textIn(body, 'session'), textIn(body, 'target'), body['user']];
  if (body['allowed'] !== true || session === undefined || target === undefined || !isFields(user))
    return undefined;
  const id = textIn(user, 'id');
  if (id === undefined || !URL.canParse(target)) return undefined;
  const url = new URL(target);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  const name = textIn(user, 'name');
  // Anybody may write any address into their profile: an app that knows its users by theirs is told proved ones alone.
  const email = user['emailVerified'] === true ? textIn(user, 'email') : undefined;
  return {
    session,
    user: { id, ...(name !== undefined && { name }), ...(email !== undefined && { email }) },
    appId: textIn(body, 'appId') ?? null,
    target: url,
  };
}
