import type { InteractionAsked } from '@carillon/contracts';
import { questionOf } from './question';

const question = (more: Partial<InteractionAsked>) =>
  questionOf({
    choices: [],
    primaryLabel: null,
    secondaryLabel: null,
    actionDigest: 'sha256:a',
    ...more,
  } as InteractionAsked);

describe('what a prompt asks on a phone', () => {
  it('an approval has two buttons, with labels of its own', () => {
    expect(question({ kind: 'approval' })).toEqual({
      category: 'CARILLON_APPROVAL',
      actions: [
        { id: 'approved', label: 'Approve' },
        { id: 'denied', label: 'Deny' },
      ],
      actionDigest: 'sha256:a',
    });
    expect(question({ kind: 'approval', primaryLabel: 'Ship it', secondaryLabel: 'Wait' }).actions).toEqual([
      { id: 'approved', label: 'Ship it' },
      { id: 'denied', label: 'Wait' },
    ]);
  });

  it('a question of yes or no has two, and each label may stand alone', () => {
    expect(question({ kind: 'yes_no' }).category).toBe('CARILLON_YES_NO');
    expect(question({ kind: 'yes_no', secondaryLabel: 'Not now' }).actions).toEqual([
      { id: 'yes', label: 'Yes' },
      { id: 'no', label: 'Not now' },
    ]);
  });

  it('a reply has its choices, which answer what they say', () => {
    expect(question({ kind: 'reply', choices: ['Monday', 'Tuesday'] })).toEqual({
      category: 'CARILLON_REPLY',
      actions: ['Monday', 'Tuesday'],
      actionDigest: 'sha256:a',
    });
    expect(question({ kind: 'reply' }).actions).toEqual([]);
  });
});
