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

describe('the question of a prompt on a phone', () => {
  it('an approval has two buttons, with its own labels', () => {
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

  it('a yes/no question has two buttons, and each label may be set alone', () => {
    expect(question({ kind: 'yes_no' }).category).toBe('CARILLON_YES_NO');
    expect(question({ kind: 'yes_no', secondaryLabel: 'Not now' }).actions).toEqual([
      { id: 'yes', label: 'Yes' },
      { id: 'no', label: 'Not now' },
    ]);
  });

  it('a reply has its choices, whose labels are the answers', () => {
    expect(question({ kind: 'reply', choices: ['Monday', 'Tuesday'] })).toEqual({
      category: 'CARILLON_REPLY',
      actions: ['Monday', 'Tuesday'],
      actionDigest: 'sha256:a',
    });
    expect(question({ kind: 'reply' }).actions).toEqual([]);
  });
});
