import {
  ChangedOncallGroup,
  CreatedOverride,
  type MadeOncallGroup,
  type MadeOverride,
} from '@carillon/contracts';
import { viewed } from '../request/row';

/** The group alone: the status and a header tell that an earlier request made it. */
export const madeOncallGroup = viewed(ChangedOncallGroup, ({ group }: MadeOncallGroup) => group);

export const madeOverride = viewed(CreatedOverride, ({ override, group, warnings }: MadeOverride) => ({
  override,
  group,
  warnings,
}));
