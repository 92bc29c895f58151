import { exactly, Id, object, When } from '@carillon/schema';
import { answers } from '../contract';
import { OncallGroup, OncallWarnings, Override } from './oncall.contracts';

export class CreateOverride {
  @Id('ocg') groupId!: string;
  @Id('usr') userId!: string;
  @When() startsAt!: string;
  @When() endsAt!: string;
}

export class OverrideById {
  @Id('ocg') groupId!: string;
  @Id('ovr') overrideId!: string;
}

export const CreatedOverride = object({ override: Override, group: OncallGroup, warnings: OncallWarnings });

/** `idempotent` if an earlier request with this key created the override. */
export interface MadeOverride {
  override: Override;
  group: OncallGroup;
  warnings: OncallWarnings;
  idempotent?: true;
}

export const Overrides = {
  create: answers<MadeOverride>()(
    'teams.override.create',
    CreateOverride,
    [
      'oncall_group.unknown',
      'input.invalid',
      'override.self_only',
      'member.not_found',
      'override.overlap',
      'override.unknown',
    ],
    'always',
  ),
  remove: answers(object({ ok: exactly(true), warnings: OncallWarnings }))(
    'teams.override.remove',
    OverrideById,
    ['oncall_group.unknown', 'override.unknown', 'team.forbidden_role'],
  ),
};
