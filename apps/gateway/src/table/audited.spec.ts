import { agentTable } from './agent.table';
import { contextOf } from '../request/context';
import type { EdgeRequest } from '../request/row';

const originFor = (route: string, body: object) => {
  const row = agentTable.find((each) => `${each.method} ${each.path.replace('/api/agent', '')}` === route);
  const http = {
    id: 'req_1',
    ip: '203.0.113.9',
    headers: { 'user-agent': 'story/1.0' },
    body: Buffer.from(JSON.stringify(body)),
  };
  const request = { row, http, requestId: 'req_1', token: { accountId: 'usr_1' } };
  return contextOf(request as unknown as EdgeRequest, 1_000).caller.origin;
};

describe('where a request came from', () => {
  it.each([
    ['POST /notifications', 'oncall'],
    ['POST /interactions', 'escalateTo'],
  ])('is told the audit log by %s when it pages, and not else', (route, field) => {
    expect(originFor(route, { [field]: 'ocg_1' })).toMatchObject({
      ip: '203.0.113.9',
      userAgent: 'story/1.0',
    });
    expect(originFor(route, { title: 'x' })).toBeUndefined();
  });
});
