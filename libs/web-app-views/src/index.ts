export { WebAppViews1766016000001 } from './migration';
export { WebAppViews } from './web-app-views';
export { WebAppViewsProjection } from './web-app-views.projection';
