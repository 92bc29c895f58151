import {
  ChangedOncallGroup,
  CreatedOverride,
  type MadeOncallGroup,
  type MadeOverride,
} from '@carillon/contracts';
import { shown } from '../request/row';

/** That it was made by an earlier request is told by the status and a header. */
export const madeOncallGroup = shown(ChangedOncallGroup, ({ group }: MadeOncallGroup) => group);

export const madeOverride = shown(CreatedOverride, ({ override, group, warnings }: MadeOverride) => ({
  override,
  group,
  warnings,
}));
