import { Bus, type Context } from '@carillon/bus';
import { Accounts, type Interaction, Push, type SessionInteraction } from '@carillon/contracts';
import { unless } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';

type Responded = Pick<Interaction, 'respondingUserId' | 'respondingDeviceId'>;
type ResponderNames = Pick<SessionInteraction, 'respondingUserName' | 'respondingDeviceName'>;

/** Adds to prompts the present names of the people and devices that answered them. */
@Injectable()
export class Responders {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  async named<P extends Responded>(prompts: readonly P[], context: Context): Promise<(P & ResponderNames)[]> {
    const [people, devices] = await Promise.all([
      this.people(idsOf(prompts, 'respondingUserId'), context),
      this.devices(idsOf(prompts, 'respondingDeviceId'), context),
    ]);
    return prompts.map((each) => ({
      ...each,
      respondingUserName: people.get(each.respondingUserId) ?? null,
      respondingDeviceName: devices.get(each.respondingDeviceId) ?? null,
    }));
  }

  private async people(accountIds: readonly string[], context: Context) {
    const asked = accountIds.map(async (accountId) => {
      const person = unless('account.not_found', this.bus.ask(Accounts.person, { accountId }, context));
      return [accountId, (await unless('account.suspended', person))?.value.name] as const;
    });
    return new Map<string | null, string | undefined>(await Promise.all(asked));
  }

  private async devices(deviceIds: string[], context: Context) {
    if (deviceIds.length === 0) return new Map<string | null, string | null | undefined>();
    const { value } = await this.bus.ask(Push.owners, { deviceIds }, context);
    return new Map(value.devices.map(({ deviceId, deviceName }) => [deviceId, deviceName]));
  }
}

const idsOf = (prompts: readonly Responded[], field: keyof Responded): string[] => [
  ...new Set(prompts.flatMap((prompt) => prompt[field] ?? [])),
];
