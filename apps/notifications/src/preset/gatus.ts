import { lines, type Preset, textAt, titled, unfit } from './preset';

/**
 * Gatus, alerting provider `custom`, with this `body`:
 * `{"endpoint":"[ENDPOINT_NAME]","group":"[ENDPOINT_GROUP]","url":"[ENDPOINT_URL]",
 * "state":"[ALERT_TRIGGERED_OR_RESOLVED]","description":"[ALERT_DESCRIPTION]","errors":"[RESULT_ERRORS]"}`
 *
 * | Field of the payload       | Becomes                                                            |
 * | -------------------------- | ------------------------------------------------------------------ |
 * | `state`                    | TRIGGERED: firing; RESOLVED: resolved                              |
 * | `group`, `endpoint`        | the title and the dedup key                                        |
 * | `description`, `errors`    | the body                                                           |
 * | `url`                      | the URL                                                            |
 */
export const gatus: Preset = ({ fields }) => {
  const endpoint = textAt(fields, 'endpoint');
  if (endpoint === undefined) throw unfit('endpoint', 'must be the name of the endpoint');
  const said = textAt(fields, 'state')?.toUpperCase();
  if (said !== 'TRIGGERED' && said !== 'RESOLVED') throw unfit('state', 'must be TRIGGERED or RESOLVED');
  const state = said === 'TRIGGERED' ? 'firing' : 'resolved';
  const group = textAt(fields, 'group');
  const name = group === undefined ? endpoint : `${group}/${endpoint}`;
  return [
    {
      title: titled(state, name),
      body: lines(textAt(fields, 'description'), textAt(fields, 'errors'), textAt(fields, 'url')),
      url: textAt(fields, 'url'),
      state,
      dedupKey: `endpoint ${name}`,
      severity: state === 'firing' ? 'critical' : null,
      once: null,
    },
  ];
};
