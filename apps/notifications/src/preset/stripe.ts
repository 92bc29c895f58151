import { at, lines, type Preset, severityOf, textAt, unfit } from './preset';

/**
 * Stripe, event destinations (snapshot events).
 *
 * | Field of the payload                                            | Becomes                                  |
 * | --------------------------------------------------------------- | ---------------------------------------- |
 * | `type`                                                          | the title, in words                      |
 * | `data.object.amount`, `.amount_due`, `.currency`                | the amount in the body                   |
 * | `data.object.failure_message`, `.last_payment_error.message`, `.description` | lines of the body           |
 * | `livemode`                                                      | "Test mode" in the body when it is false |
 * | `data.object.hosted_invoice_url`, `.receipt_url`                | the URL                                  |
 * | `id`                                                            | the key of a repetition                  |
 *
 * The state is always `none`: no event of Stripe says that an earlier one is over. A failure or a dispute has the
 * severity `warning`.
 */
export const stripe: Preset = ({ fields }) => {
  const type = textAt(fields, 'type');
  if (type === undefined) throw unfit('type', 'must name the type of the event');
  const about = at(fields, 'data.object');
  const isBad = /failed|dispute|action_required|past_due|fraud/.test(type);
  return [
    {
      title: `Stripe: ${type.replaceAll('.', ' ').replaceAll('_', ' ')}`,
      body: lines(
        amountOf(about),
        textAt(about, 'failure_message', 'last_payment_error.message'),
        textAt(about, 'description', 'customer_email', 'id'),
        at(fields, 'livemode') === false ? 'Test mode' : undefined,
      ),
      url: textAt(about, 'hosted_invoice_url', 'receipt_url'),
      state: 'none',
      dedupKey: null,
      severity: severityOf(isBad ? 'warning' : 'info'),
      once: textAt(fields, 'id') ?? null,
    },
  ];
};

/** Currencies that Stripe counts in whole units. */
const wholeUnits = /^(?:bif|clp|djf|gnf|jpy|kmf|krw|mga|pyg|rwf|ugx|vnd|vuv|xaf|xof|xpf)$/;

function amountOf(about: unknown): string | undefined {
  const amount = at(about, 'amount') ?? at(about, 'amount_due');
  const currency = textAt(about, 'currency');
  if (typeof amount !== 'number' || currency === undefined) return undefined;
  const shown = wholeUnits.test(currency.toLowerCase()) ? String(amount) : (amount / 100).toFixed(2);
  return `${shown} ${currency.toUpperCase()}`;
}
