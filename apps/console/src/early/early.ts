// What the page does before its other scripts are there. It is a file of its own, which waits for nothing.

/** What other tabs tell: who has signed in or out, and what the stream says. */
export const sessionChannel = new BroadcastChannel('carillon-session');
export const streamChannel = new BroadcastChannel('carillon-stream');

export const pageSize = 100;
export const timeoutSeconds = 30;

/** The lists of the inbox, by the path that its first load asks for. */
const lists = [`/inbox/notifications?limit=${pageSize}`, `/prompts?limit=${pageSize}`, '/oncall/me'];
const answers = new Map<string, Promise<Response>>();

// What was asked before may be old now, or another person's. Session and stream listen from their start on.
sessionChannel.onmessage = streamChannel.onmessage = () => answers.clear();

if (location.pathname === '/console/')
  for (const list of lists) {
    const url = `${location.origin}/api/session${list}`;
    const answer = fetch(url, { signal: AbortSignal.timeout(timeoutSeconds * 1_000) });
    // Who takes it learns of the failure.
    answer.catch(() => {});
    answers.set(url, answer);
  }

/** The answer to a request that was sent early, once: whoever asks again wants a new one. */
export function takeEarly({ method, url }: Request): Promise<Response> | undefined {
  const answer = method === 'GET' ? answers.get(url) : undefined;
  answers.delete(url);
  return answer;
}
