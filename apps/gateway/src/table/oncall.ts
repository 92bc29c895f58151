import {
  ChangedOncallGroup,
  CreatedOverride,
  type MadeOncallGroup,
  type MadeOverride,
} from '@carillon/contracts';
import { viewed } from '../request/row';

/** That it was made by an earlier request is told by the status and a header. */
export const madeOncallGroup = viewed(ChangedOncallGroup, ({ group }: MadeOncallGroup) => group);

export const madeOverride = viewed(CreatedOverride, ({ override, group, warnings }: MadeOverride) => ({
  override,
  group,
  warnings,
}));
