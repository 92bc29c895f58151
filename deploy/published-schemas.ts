import { Certificate, Issuer } from '@kubernetes-models/cert-manager/cert-manager.io/v1';
import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1';
import { PodMonitor, PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { CronJob, Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Role, RoleBinding } from 'kubernetes-models/rbac.authorization.k8s.io/v1';
import { PriorityClass } from 'kubernetes-models/scheduling.k8s.io/v1';
import { ConfigMap, PersistentVolumeClaim, Pod, Service, ServiceAccount } from 'kubernetes-models/v1';

const schemas = {
  Certificate,
  ConfigMap,
  CronJob,
  Deployment,
  HTTPRoute,
  HorizontalPodAutoscaler,
  Ingress,
  Issuer,
  Job,
  NetworkPolicy,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PodMonitor,
  PriorityClass,
  PrometheusRule,
  Role,
  RoleBinding,
  Service,
  ServiceAccount,
  StatefulSet,
} as unknown as Record<string, { prototype: { validate(this: unknown): void } }>;

/** The same, and in `unread` each field that no check has read yet. */
function watched(value: unknown, unread: Set<string>, path = ''): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const kept: object = Array.isArray(value) ? [] : {};
  for (const [name, inner] of Object.entries(value)) {
    Reflect.set(kept, name, watched(inner, unread, `${path}/${name}`));
    if (!Array.isArray(value)) unread.add(`${path}/${name}`);
  }
  return new Proxy(kept, {
    get: (target, name): unknown => {
      unread.delete(`${path}/${String(name)}`);
      return Reflect.get(target, name);
    },
  });
}

/** What the published schema of its kind says against it, fields that the kind does not have included. */
export function wrongIn(manifest: { readonly kind: string }): string[] {
  const Kind = schemas[manifest.kind];
  if (!Kind) return [`nobody checks a ${manifest.kind}`];
  const unread = new Set<string>();
  try {
    Kind.prototype.validate.call(Object.setPrototypeOf(watched(manifest, unread), Kind.prototype));
  } catch (error) {
    return [String(error)];
  }
  return [...unread].map((path) => `${path} is not known`);
}
