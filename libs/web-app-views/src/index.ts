export { webAppViewTables } from './tables';
export { WebAppViews } from './web-app-views';
export { WebAppViewsProjection } from './web-app-views.projection';
