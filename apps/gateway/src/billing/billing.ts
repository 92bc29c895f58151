import { bool, exactly, int, nullable, num, object, resource, type Static } from '@carillon/contracts';
import { numberSetting } from '@carillon/service';

export const Billing = resource(
  'Billing',
  {
    configured: bool('Whether a payment provider is set up.'),
    plan: exactly('free', 'Individuals and families are free.'),
    priceMonthly: num(),
    features: object({ deviceRouting: bool() }),
    limits: object({
      devices: nullable(int()),
      notificationsPerMonth: nullable(int()),
      servicePerMinute: int('Calls of the inbound webhook of one service.'),
      accountPerMinute: int('Everything that the account sends.'),
    }),
    usage: object({ notificationsRemaining: nullable(int()) }),
  },
  'What the account pays and may do; null: as many as you like.',
);
export type Billing = Static<typeof Billing>;

/** There is one plan, and it is free. The limits a minute are those that this installation enforces. */
export const billing = (): Billing => ({
  configured: false,
  plan: 'free',
  priceMonthly: 0,
  features: { deviceRouting: true },
  limits: {
    devices: null,
    notificationsPerMonth: null,
    servicePerMinute: numberSetting('CARILLON_SERVICE_PER_MINUTE', 60),
    accountPerMinute: numberSetting('CARILLON_ACCOUNT_PER_MINUTE', 300),
  },
  usage: { notificationsRemaining: null },
});
