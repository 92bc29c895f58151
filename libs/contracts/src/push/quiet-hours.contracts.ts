import {
  About,
  id,
  Id,
  list,
  Nested,
  nullable,
  Nullable,
  object,
  Optional,
  type Static,
  Text,
  text,
  TimeOfDay,
} from '@carillon/schema';
import { answers, Nothing } from '../contract';

/** Across midnight where `to` is not later than `from`; all day where they are equal. */
export class GivenQuietHours {
  @About('`HH:mm` on the wall clock of the zone.') @TimeOfDay() from!: string;
  @About('`HH:mm`, not itself quiet.') @TimeOfDay() to!: string;
  @About('An IANA name.') @Text(1, 64) timezone!: string;
}

export class SetQuietHours {
  @About('A device of the account; without it, all devices that have no quiet hours of their own.')
  @Optional()
  @Id('dev')
  deviceId?: string;
  @About('Null: none.') @Nullable() @Nested(GivenQuietHours) quietHours!: GivenQuietHours | null;
}

const fields = { from: text('`HH:mm` on the wall clock of the zone.'), to: text(), timezone: text() };

export const QuietHours = object({
  quietHours: nullable(object(fields)),
  devices: list(object({ deviceId: id('dev'), ...fields }), 'Those with quiet hours of their own.'),
});
export type QuietHours = Static<typeof QuietHours>;

/** When notifications wait in the inbox without ringing. */
export const QuietHoursOf = {
  read: answers(QuietHours)('push.quiet-hours.read', Nothing, [], 'always'),
  set: answers(QuietHours)(
    'push.quiet-hours.set',
    SetQuietHours,
    ['device.not_found', 'quiet_hours.invalid_timezone'],
    'always',
  ),
};
