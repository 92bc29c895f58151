export { ApiError, type ApiIssue, ConnectionError } from './errors';
export { type AskOptions, type Interaction, type Question } from './ask';
export { type Client, type ClientSettings, createClient, createSessionClient } from './client';
export { type MessageGap, type MessagesOptions, type WebhookMessage } from './messages';
export { verifyWebhook, type WebhookHeaders, WebhookVerificationError } from './verify-webhook';
export type { components as AgentSchemas } from './generated/agent';
export type { components as SessionSchemas } from './generated/session';
