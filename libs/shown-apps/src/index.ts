export { ShownApps1766016000001 } from './migration';
export { ShownApps } from './shown-apps';
export { ShownAppsProjection } from './shown-apps.projection';
