import { DeviceGroup } from '@carillon/contracts';
import { object } from '@carillon/schema';
import { viewed } from '../request/row';

/** The group alone: that an earlier request made it is told by the status and a header. */
export const oneDeviceGroup = viewed(object({ group: DeviceGroup }), ({ group }: { group: DeviceGroup }) => ({
  group,
}));
