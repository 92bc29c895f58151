import { numberSetting } from '@carillon/service';

/** What the account pays and may do. There is one plan, and it is free. */
export interface Billing {
  configured: boolean;
  plan: 'free';
  priceMonthly: number;
  features: { deviceRouting: boolean };
  limits: {
    devices: number | null;
    notificationsPerMonth: number | null;
    servicePerMinute: number;
    accountPerMinute: number;
  };
  usage: { notificationsRemaining: number | null };
}

/** The limits a minute are those that this installation enforces. */
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
