import { at, isFields, keyOf, lines, type Preset, textAt, titled, unfit } from './preset';

/**
 * Uptime Kuma, notification type "Webhook", request body "Preset - application/json".
 *
 * | Field of the payload                          | Becomes                                                     |
 * | --------------------------------------------- | ----------------------------------------------------------- |
 * | `heartbeat.status`                            | 0: firing; 1: resolved; pending and maintenance: none       |
 * | `monitor.name`                                | the title                                                   |
 * | `heartbeat.msg`, else `msg`                   | the body                                                    |
 * | `monitor.url`, when it is a web address       | the URL                                                     |
 * | `monitor.id`                                  | the dedup key                                               |
 * | `heartbeat.monitorID`, `.status`, `.time`     | the key of a repetition                                     |
 *
 * A test and the notice of a certificate have only `msg`.
 */
export const uptimeKuma: Preset = ({ fields }) => {
  const { heartbeat, monitor } = fields;
  const said = textAt(fields, 'msg');
  if (!isFields(heartbeat) || !isFields(monitor)) {
    if (said === undefined) throw unfit('msg', 'must be a text');
    return [{ title: 'Uptime Kuma', body: said, state: 'none', dedupKey: null, severity: null, once: null }];
  }
  const status = at(heartbeat, 'status');
  const state = status === 0 ? 'firing' : status === 1 ? 'resolved' : 'none';
  const name = textAt(monitor, 'name', 'pathName') ?? 'Monitor';
  const monitorId = textAt(monitor, 'id') ?? textAt(heartbeat, 'monitorID') ?? name;
  const time = textAt(heartbeat, 'time');
  return [
    {
      title: state === 'none' ? name : titled(state, name),
      body: lines(textAt(heartbeat, 'msg') ?? said, textAt(monitor, 'hostname', 'description')),
      url: textAt(monitor, 'url'),
      state,
      dedupKey: `monitor ${monitorId}`,
      severity: state === 'firing' ? 'critical' : null,
      once: time === undefined ? null : keyOf(monitorId, state, time),
    },
  ];
};
