import type { Refused } from '@carillon/eventing';
import { askedProps, begun, bytesOf, merged, maxPropsBytes, refuseTooLarge } from './props';

const issuesOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    expect((error as Refused).reason).toBe('input.invalid');
    return (error as Refused).details['issues'];
  }
  return undefined;
};
const invalid = (path: string, message: string) => [{ path, message, code: 'invalid_value' }];

const whole = {
  title: 'Build',
  subtitle: null,
  status: null,
  detail: null,
  progress: null,
  layout: 'standard',
  state: 'running',
  icon: null,
  accentColor: null,
  steps: null,
  lines: null,
  startedAt: null,
  endsAt: null,
  imageUrl: null,
  url: null,
};
const steps = [{ label: 'Test', state: 'active' as const }];

describe('the props of an activity', () => {
  it('are all there from the start, with their defaults', () => {
    expect(begun({ title: 'Build' })).toEqual(whole);
    expect(begun({ title: 'Build', state: null, progress: 0.5 })).toEqual({ ...whole, progress: 0.5 });
  });
  it('keep the values that a change does not mention', () =>
    expect(merged(begun({ title: 'Build', status: 'Testing', progress: 0.2 }), { progress: 0.4 })).toEqual({
      ...whole,
      status: 'Testing',
      progress: 0.4,
    }));
  it('lose values that a change sets to null, or return to their defaults', () => {
    const before = begun({ title: 'Build', status: 'Testing', layout: 'hero', state: 'error', progress: 1 });
    expect(merged(before, { status: null, layout: null, state: null, progress: null })).toEqual(whole);
  });
  it('allow progress to be reset to null as well as to zero', () =>
    expect(merged(begun({ title: 'Build', progress: 0.5 }), { progress: 0 }).progress).toBe(0));
  it('have steps in their own layout only', () => {
    expect(begun({ title: 'Build', layout: 'steps', steps }).steps).toEqual(steps);
    expect(issuesOf(() => begun({ title: 'Build', steps }))).toEqual(
      invalid('props.steps', 'needs the layout steps'),
    );
    expect(issuesOf(() => merged(begun({ title: 'Build' }), { steps }))).toEqual(
      invalid('props.steps', 'needs the layout steps'),
    );
    expect(merged(begun({ title: 'Build' }), { layout: 'steps', steps }).steps).toEqual(steps);
  });
  it('have lines in a terminal only', () =>
    expect(issuesOf(() => begun({ title: 'Build', layout: 'ring', lines: ['$ make'] }))).toEqual(
      invalid('props.lines', 'needs the layout terminal'),
    ));
  it('lose the steps with their layout', () => {
    const before = begun({ title: 'Build', layout: 'steps', steps });
    expect(merged(before, { layout: 'ring' })).toEqual({ ...whole, layout: 'ring' });
    expect(merged(before, { status: 'Done' }).steps).toEqual(steps);
  });
  it('end after they began, whichever of both changes', () => {
    const startedAt = '2026-11-20T09:00:00.000Z';
    const wrong = invalid('props.endsAt', 'must be after startedAt');
    expect(issuesOf(() => begun({ title: 'Build', startedAt, endsAt: startedAt }))).toEqual(wrong);
    expect(
      issuesOf(() => merged(begun({ title: 'Build', startedAt }), { endsAt: '2026-11-20T08:59:59.999Z' })),
    ).toEqual(wrong);
    expect(begun({ title: 'Build', startedAt, endsAt: '2026-11-20T09:00:00.001Z' }).endsAt).toBe(
      '2026-11-20T09:00:00.001Z',
    );
  });
  it('are at most 3072 bytes of JSON, to the byte', () => {
    const capacity = maxPropsBytes - bytesOf(begun({ title: 'Build', imageUrl: 'https://a.example/' }));
    const fits = begun({ title: 'Build', imageUrl: `https://a.example/${'x'.repeat(capacity)}` });
    expect(bytesOf(fits)).toBe(maxPropsBytes);
    expect(() => refuseTooLarge(fits)).not.toThrow();
    expect(() => refuseTooLarge({ ...fits, title: 'Build!' })).toThrow('activity.props_too_large');
  });
  it('count bytes, not characters', () => {
    const detail = '🔔'.repeat(240);
    expect(bytesOf(begun({ title: 'Build', detail })) - bytesOf(begun({ title: 'Build', detail: 'x' }))).toBe(
      240 * 4 - 1,
    );
  });
});

describe('a prompt as an activity', () => {
  it('waits, and is cut to the limits of an activity', () =>
    expect(askedProps({ title: 'x'.repeat(120), text: 'y'.repeat(4_000) })).toMatchObject({
      title: `${'x'.repeat(99)}…`,
      detail: `${'y'.repeat(239)}…`,
      state: 'waiting',
      layout: 'standard',
    }));
  it('drops its image, then its link, when it is too large', () => {
    const link = `https://a.example/${'x'.repeat(2_000)}`;
    const text = '🔔'.repeat(240);
    expect(askedProps({ title: 'Deploy?', text: 'Now?', imageUrl: link })).toMatchObject({ imageUrl: link });
    expect(askedProps({ title: 'Deploy?', text: 'Now?', imageUrl: link, url: link })).toMatchObject({
      imageUrl: null,
      url: link,
    });
    const full = askedProps({ title: '🔔'.repeat(120), text, imageUrl: link, url: link });
    expect(full).toMatchObject({ imageUrl: null, url: null });
    expect(bytesOf(full)).toBeLessThanOrEqual(maxPropsBytes);
  });
});
