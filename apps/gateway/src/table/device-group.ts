import { DeviceGroup } from '@carillon/contracts';
import { object } from '@carillon/schema';
import { viewed } from '../request/row';

/** The group alone: the status and a header tell that an earlier request made it. */
export const oneDeviceGroup = viewed(object({ group: DeviceGroup }), ({ group }: { group: DeviceGroup }) => ({
  group,
}));
