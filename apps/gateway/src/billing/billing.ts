import { numberSetting } from '@carillon/runtime';
import { bool, exactly, int, nullable, num, object, resource, type Static } from '@carillon/schema';

export const Billing = resource(
  'Billing',
  {
    configured: bool('Whether there is a payment provider.'),
    plan: exactly('free'),
    priceMonthly: num(),
    features: object({ deviceRouting: bool() }),
    limits: object({
      devices: nullable(int()),
      notificationsPerMonth: nullable(int()),
      servicePerMinute: int(),
      accountPerMinute: int(),
    }),
    usage: object({ notificationsRemaining: nullable(int()) }),
  },
  'What the account pays and may do. There is one plan, and it is free.',
);
export type Billing = Static<typeof Billing>;

/** The limits per minute are those that this installation enforces. */
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
