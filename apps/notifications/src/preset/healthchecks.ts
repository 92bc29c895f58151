import { keyOf, lines, type Preset, textAt, titled, unfit } from './preset';

/**
 * Healthchecks, integration "Webhook" with the request body `$JSON`, for "down" and for "up".
 *
 * | Field of the payload                       | Becomes                                       |
 * | ------------------------------------------ | --------------------------------------------- |
 * | `status`                                   | down: firing; up: resolved                    |
 * | `name`, else `slug`                        | the title                                     |
 * | `desc`, `tags`, `last_ping`                | the body                                      |
 * | `uuid`, `unique_key`, `slug` or `name`     | the dedup key                                 |
 * | the dedup key, `status`, `last_ping`, `n_pings` | the key of a repetition                  |
 */
export const healthchecks: Preset = ({ fields }) => {
  const status = textAt(fields, 'status');
  if (status === undefined) throw unfit('status', 'must be the status of a check');
  const state = status === 'down' ? 'firing' : status === 'up' ? 'resolved' : 'none';
  const name = textAt(fields, 'name', 'slug') ?? 'Check';
  const key = textAt(fields, 'uuid', 'unique_key', 'slug', 'name') ?? 'check';
  const lastPing = textAt(fields, 'last_ping');
  return [
    {
      title: state === 'none' ? `${name}: ${status}` : titled(state, name),
      body: lines(
        textAt(fields, 'desc'),
        lastPing === undefined ? 'No ping so far' : `Last ping ${lastPing}`,
        textAt(fields, 'tags'),
      ),
      state,
      dedupKey: `check ${key}`,
      severity: state === 'firing' ? 'critical' : null,
      once: keyOf(key, status, lastPing, textAt(fields, 'n_pings')),
    },
  ];
};
