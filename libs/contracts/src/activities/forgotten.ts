import type { ActivityProps } from './activities.events';

/** Stands in for props whose key is deleted: every prop has its default. */
export const forgottenProps: ActivityProps = {
  title: '',
  subtitle: null,
  status: null,
  detail: null,
  progress: null,
  layout: 'standard',
  state: 'running',
  icon: null,
  accentColor: null,
  steps: null,
  lines: null,
  startedAt: null,
  endsAt: null,
  imageUrl: null,
  url: null,
};
