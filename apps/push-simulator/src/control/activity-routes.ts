import type { FastifyInstance } from 'fastify';
import type { Exchange } from '../exchange.js';
import { dismissActivity, isRunning, type Activity } from '../phone/activity.js';
import type { Phone } from '../phone/phone.js';
import { bodyOf, nothing } from './body.js';
import { phoneOf, phoneView, reachable } from './phone.js';
import { Problem } from './problem.js';

interface OnActivity {
  Params: { id: string; activityId: string };
}

/** Live activities on a phone: their update tokens, and the person who takes one away. */
export function activityRoutes(api: FastifyInstance, exchange: Exchange): void {
  const { phones, session } = exchange;

  api.post<OnActivity>('/phones/:id/activities/:activityId/register', (request) => {
    const phone = phoneOf(phones, request.params.id);
    bodyOf(request, nothing);
    const activity = withToken(phone, request.params.activityId);
    return session.registerActivity(reachable(phone), activity);
  });

  api.post<OnActivity>('/phones/:id/activities/:activityId/rotate', (request) => {
    const { id, activityId } = request.params;
    const phone = phoneOf(phones, id);
    bodyOf(request, nothing);
    const activity = withToken(phone, activityId);
    if (!isRunning(activity)) throw new Problem(409, { error: `activity ${activityId} is not running` });
    phones.rotateUpdateToken(phone, activity);
    session.keepRegistering(phone, activity);
    return { phone: phoneView(phone) };
  });

  api.post<OnActivity>('/phones/:id/activities/:activityId/dismiss', (request) => {
    const phone = phoneOf(phones, request.params.id);
    bodyOf(request, nothing);
    dismissActivity(activityOf(phone, request.params.activityId), exchange.now(), 'the person');
    phones.changed();
    return { phone: phoneView(phone) };
  });
}

function activityOf(phone: Phone, activityId: string): Activity {
  const activity = phone.activities.find((candidate) => candidate.activityId === activityId);
  if (!activity) throw new Problem(404, { error: `no activity ${activityId} on this phone` });
  return activity;
}

function withToken(phone: Phone, activityId: string): Activity {
  const activity = activityOf(phone, activityId);
  if (!activity.updateToken)
    throw new Problem(404, { error: `activity ${activityId} has no update token on this phone` });
  return activity;
}
