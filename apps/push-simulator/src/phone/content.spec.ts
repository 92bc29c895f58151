import { contentDefect } from './content.js';

const least = { title: 'Deploy', sequence: 1 };
const prompt = {
  id: 'int_1',
  kind: 'approval',
  actions: [{ id: 'approved', label: 'Ship' }],
  actionDigest: 'sha256:a',
};

describe('the content of an activity', () => {
  it.each<[string, object]>([
    ['with what is needed', {}],
    [
      'with everything',
      {
        subtitle: 'api',
        status: 'building',
        detail: 'step 3',
        progress: 0,
        layout: 'steps',
        state: 'waiting',
        icon: 'hammer.fill',
        accentColor: '#3366ff',
        steps: [{ label: 'Build', state: 'active' }],
        lines: ['make'],
        startedAt: '2026-01-05T12:00:00.000Z',
        endsAt: '2026-01-05T13:00:00Z',
        imageUrl: 'https://example.test/a.png',
        url: 'https://example.test',
        prompt,
      },
    ],
    [
      'with null for what there is not',
      Object.fromEntries(
        'subtitle status detail progress layout state icon steps lines startedAt endsAt prompt'
          .split(' ')
          .map((name) => [name, null]),
      ),
    ],
    ['with fields that the app does not know', { flavour: 'mint' }],
    ['with a prompt that has no buttons', { prompt: { ...prompt, kind: 'reply', actions: [] } }],
  ])('%s can be read', (_, more) => {
    expect(contentDefect({ ...least, ...more })).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['must be an object', 'text'],
    ['must be an object', null],
    ['must be an object', []],
    ['title must be a text', { sequence: 1 }],
    ['sequence must be a whole number', { title: 'a' }],
    ['sequence must be a whole number', { title: 'a', sequence: '1' }],
    ['subtitle must be a text', { ...least, subtitle: 7 }],
    ['progress must be a number from 0 to 1', { ...least, progress: 40 }],
    ['progress must be a number from 0 to 1', { ...least, progress: -0.1 }],
    ['layout must be one of standard, ring, hero, terminal, steps', { ...least, layout: 'pie' }],
    ['state must be one of running, waiting, success, warning, error', { ...least, state: 'done' }],
    ['steps must be a list', { ...least, steps: {} }],
    [
      'steps[1].label must be a text',
      { ...least, steps: [{ label: 'a', state: 'done' }, { state: 'done' }] },
    ],
    [
      'steps[0].state must be one of pending, active, done, failed',
      { ...least, steps: [{ label: 'a', state: 'over' }] },
    ],
    ['lines[0] must be a text', { ...least, lines: [1] }],
    ['startedAt must be an ISO 8601 time', { ...least, startedAt: 1_767_603_600 }],
    ['endsAt must be an ISO 8601 time', { ...least, endsAt: 'soon' }],
    ['prompt must be an object', { ...least, prompt: 'int_1' }],
    ['prompt.id must be a text', { ...least, prompt: { ...prompt, id: undefined } }],
    ['prompt.kind must be one of approval, yes_no, reply', { ...least, prompt: { ...prompt, kind: 'ask' } }],
    ['prompt.actions must be a list', { ...least, prompt: { ...prompt, actions: undefined } }],
    ['prompt.actions[0].label must be a text', { ...least, prompt: { ...prompt, actions: [{ id: 'a' }] } }],
    ['prompt.actionDigest must be a text', { ...least, prompt: { ...prompt, actionDigest: null } }],
  ])('is refused: %s', (fault, value) => {
    expect(contentDefect(value)).toBe(fault);
  });
});
