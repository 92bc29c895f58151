import { Bus, type Context } from '@carillon/bus';
import { type Device, type DevicesOf, type GroupDevice, Push } from '@carillon/contracts';
import { Inject, Injectable } from '@nestjs/common';

/** Asks push about devices. */
@Injectable()
export class Devices {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** The owners of these devices, without unknown and removed devices. */
  async owners(deviceIds: readonly string[] = [], context: Context): Promise<readonly GroupDevice[]> {
    if (deviceIds.length === 0) return [];
    const { value } = await this.bus.ask(Push.owners, { deviceIds: [...deviceIds] }, context);
    return value.devices;
  }

  /** A list page of the devices of some accounts, last seen first. */
  async ofAccounts(
    accountIds: string[],
    page: Pick<DevicesOf, 'limit' | 'before'>,
    context: Context,
  ): Promise<{ readonly devices: readonly (Device & { userId: string })[]; readonly more: boolean }> {
    if (accountIds.length === 0) return { devices: [], more: false };
    // The Agent API had two platforms first, so that only people see browsers among the devices.
    const browsers = context.caller.sessionId !== undefined;
    return (await this.bus.ask(Push.devicesOf, { accountIds, ...page, browsers }, context)).value;
  }
}
