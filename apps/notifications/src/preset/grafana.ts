import { alertsIn } from './alertmanager';
import { type Preset, textAt } from './preset';

/**
 * Grafana Alerting, contact point "Webhook". The payload is that of Alertmanager with more fields.
 *
 * | Field of the payload                                                  | Becomes                    |
 * | --------------------------------------------------------------------- | -------------------------- |
 * | all that `alertmanager` reads                                         | the same                   |
 * | `alerts[].panelURL`, else `.dashboardURL`, `.generatorURL`, `externalURL` | the URL                |
 *
 * `title` and `message` repeat the alerts in Grafana's template and are not read.
 */
export const grafana: Preset = (payload, eventsPer) =>
  alertsIn(payload, eventsPer, {
    sender: 'Grafana',
    url: (alert) =>
      textAt(alert, 'panelURL', 'dashboardURL', 'generatorURL') ?? textAt(payload.fields, 'externalURL'),
  });
