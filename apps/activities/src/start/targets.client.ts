import { Bus, type Context } from '@carillon/bus';
import { Push } from '@carillon/contracts';
import { Inject, Injectable } from '@nestjs/common';

/** Which devices an activity goes to, as push knows them. */
@Injectable()
export class Targets {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** Those that are asked for, else all of the account that can show it. */
  async of(deviceIds: string[] | undefined, context: Context): Promise<string[]> {
    const { value } = await this.bus.ask(Push.activityTargets, deviceIds ? { deviceIds } : {}, context);
    return value.deviceIds;
  }
}
