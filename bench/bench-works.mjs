// What the benchmark asks of a house, as autocannon is told it.

/** `phoneless` is the token of an account without a device, `tokens` are those of others. */
export function tasksOf({ state, phoneless, tokens = [] }) {
  const body = JSON.stringify({ title: 'Build finished', body: 'main is green', projectId: 'bench' });
  const post = (title, path, bearer, more = {}) => ({ title, method: 'POST', path, body, bearer, ...more });
  return {
    echo: post('echo through gateway and bus', '/api/agent/bench/echo', phoneless),
    send: post('POST /notifications, no device', '/api/agent/notifications', phoneless),
    sendOfMany: {
      ...post(
        `POST /notifications, no device, ${tokens.length} accounts in turn`,
        '/api/agent/notifications',
      ),
      requests: tokens.map((token) => ({ headers: { authorization: `Bearer ${token}` }, body })),
    },
    push: post('POST /notifications, two phones', '/api/agent/notifications', state.apiToken),
    inbox: {
      title: 'GET /inbox/notifications?limit=20',
      method: 'GET',
      path: '/api/agent/inbox/notifications?limit=20',
      bearer: phoneless,
    },
  };
}
