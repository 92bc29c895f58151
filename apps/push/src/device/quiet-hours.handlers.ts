import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { type QuietHours, QuietHoursOf, SetQuietHours } from '@carillon/contracts';
import { Log, Projections } from '@carillon/event-store';
import { Clock, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { device, insistOnOwn } from './device';
import { quietHours, type QuietHoursState, setQuietHours } from './quiet-hours';

@Controller()
export class QuietHoursHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Handles(QuietHoursOf.read)
  async read(_: object, { caller }: Context): Promise<Answer<QuietHours>> {
    const { state } = await this.log.load(quietHours, streamTail(caller.accountId));
    return answer(viewOf(state));
  }

  @Handles(QuietHoursOf.set)
  async set({ deviceId, quietHours: hours }: SetQuietHours, context: Context): Promise<Answer<QuietHours>> {
    const { accountId } = context.caller;
    if (deviceId !== undefined) {
      const { state: found } = await this.log.load(device, streamTail(deviceId));
      insistOnOwn(found, deviceId, accountId);
    }
    const { state, position } = await this.log.transact(
      quietHours,
      streamTail(accountId),
      setQuietHours({
        accountId,
        deviceId: deviceId ?? null,
        hours: hours && { from: hours.from, to: hours.to, timezone: hours.timezone },
        at: this.clock.now(),
      }),
      metadataOf(context),
    );
    // Waits for the rows: the next push must know.
    await this.projections.reached('devices', String(position), accountId);
    return answer(viewOf(state), position);
  }
}

const viewOf = (state: QuietHoursState): QuietHours => ({
  quietHours: state.get(null) ?? null,
  devices: [...state].flatMap(([deviceId, hours]) => (deviceId === null ? [] : [{ deviceId, ...hours }])),
});
