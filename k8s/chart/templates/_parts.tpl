{{- /* Names are fixed: programs find each other by them, so a namespace has one release. */ -}}
{{- define "labels" -}}
app.kubernetes.io/part-of: carillon
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end -}}

{{- /* Labels of its own, for what finds a manifest by them. */ -}}
{{- define "partOf" -}}
{{- merge (dict) . (dict "app.kubernetes.io/part-of" "carillon") | toYaml -}}
{{- end -}}

{{- define "image" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end -}}

{{- /* What stands beside the services in a trial: the same version, in the image of the standalone. */ -}}
{{- define "standaloneImage" -}}
image: {{ printf "%s-standalone:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end -}}

{{- /* A ServiceAccount without a token of the cluster: dict "root" $ "name" NAME. */ -}}
{{- define "serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .name }}
  labels: {{- include "labels" .root | nindent 4 }}
automountServiceAccountToken: false
{{- end -}}

{{- /* Beside maxUnavailable: what is unready for a part that is away may be evicted, or no node could be drained then. */ -}}
{{- define "disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .name }}
  labels: {{- include "labels" .root | nindent 4 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: { app.kubernetes.io/name: {{ .name }} }
{{- end -}}

{{- /* What every pod has: dict "root" $ "name" NAME "user" UID. */ -}}
{{- define "pod" -}}
serviceAccountName: {{ .name }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .user }}
  runAsGroup: {{ .user }}
  fsGroup: {{ .user }}
  seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "closedContainer" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{- /* Which node a pod comes to. dict "root" $ "name" NAME "isDeployment" BOOLEAN: while it rolls, old and new pods are
spread each for themselves. */ -}}
{{- define "scheduling" -}}
{{- with .root.Values.priorityClass.name }}
priorityClassName: {{ . }}
{{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: {{ .root.Values.spread.topologyKey }}
    whenUnsatisfiable: {{ .root.Values.spread.whenUnsatisfiable }}
    {{- with .root.Values.spread.minDomains }}
    minDomains: {{ . }}
    {{- end }}
    # A lost zone is no zone with no pods.
    nodeTaintsPolicy: Honor
    {{- if .isDeployment }}
    matchLabelKeys: [pod-template-hash]
    {{- end }}
    labelSelector:
      matchLabels: { app.kubernetes.io/name: {{ .name }} }
{{- end -}}

{{- /* dict "volume" NAME "secret" NAME "files" (dict KEY FILE …): keys of a Secret as files of a group that reads them. */ -}}
{{- define "secretFiles" -}}
- name: {{ .volume }}
  secret:
    secretName: {{ .secret }}
    # 0440
    defaultMode: 288
    items:
      {{- range $key, $file := .files }}
      - { key: {{ $key }}, path: {{ $file }} }
      {{- end }}
{{- end -}}

{{- /* The setting with the database of a service, for a program of several, as a file of the volume `stores`. */ -}}
{{- define "databaseOf" -}}
- { name: DATABASE_URL_{{ . | replace "-" "_" | upper }}_FILE, value: /run/secrets/stores/{{ . }} }
{{- end -}}

{{- /* Gives services their roles in Postgres: dict "root" $ "services" (list NAME …). Beside it are the volumes `stores`,
with the URLs, and `owner`. */ -}}
{{- define "rolesContainer" -}}
- name: roles
  {{- include "image" .root | nindent 2 }}
  args: [roles]
  env:
    - { name: DATABASE_URL_FILE, value: /run/secrets/owner/database-url }
    {{- range .services }}
    {{- include "databaseOf" . | nindent 4 }}
    {{- end }}
  resources: {{- toYaml .root.Values.resources | nindent 4 }}
  {{- include "closedContainer" .root | nindent 2 }}
  volumeMounts:
    - { name: tmp, mountPath: /tmp }
    - { name: owner, mountPath: /run/secrets/owner, readOnly: true }
    - { name: stores, mountPath: /run/secrets/stores, readOnly: true }
{{- end -}}

{{- define "ownerFiles" -}}
{{- include "secretFiles" (dict "volume" "owner" "secret" "carillon-stores" "files" (dict "database-url" "database-url")) }}
{{- end -}}

{{- /* The databases of several services as files of the volume `stores`: a list of names. */ -}}
{{- define "databaseFiles" -}}
- name: stores
  projected:
    # 0440
    defaultMode: 288
    sources:
      {{- range . }}
      - secret:
          name: stores-{{ . }}
          items: [{ key: database-url, path: {{ . }} }]
      {{- end }}
{{- end -}}

{{- /* How the operator's tools come to NATS: the environment, the mounts and the volumes of a pod. */ -}}
{{- define "operatorEnvironment" -}}
- { name: CARILLON_CALLER_KEY_FILE, value: /run/secrets/keys/caller-key }
# Of a standalone: there is none here.
- { name: CARILLON_DATA, value: '' }
- { name: NATS_URL, value: 'tls://nats:4222' }
- { name: NATS_USER, value: operator }
- { name: NATS_PASSWORD_FILE, value: /run/secrets/bus/password }
- { name: NATS_CA_FILE, value: /run/secrets/bus-ca/ca.crt }
{{- end -}}

{{- define "operatorMounts" -}}
- { name: keys, mountPath: /run/secrets/keys, readOnly: true }
- { name: bus, mountPath: /run/secrets/bus, readOnly: true }
- { name: bus-ca, mountPath: /run/secrets/bus-ca, readOnly: true }
{{- end -}}

{{- define "operatorFiles" -}}
{{ include "secretFiles" (dict "volume" "keys" "secret" "carillon-keys" "files" (dict "caller-key" "caller-key")) }}
{{ include "secretFiles" (dict "volume" "bus" "secret" "nats-users" "files" (dict "operator" "password")) }}
{{ include "secretFiles" (dict "volume" "bus-ca" "secret" "nats-tls" "files" (dict "ca.crt" "ca.crt")) }}
{{- end -}}

{{- define "privateAddresses" -}}
- ipBlock: { cidr: 10.0.0.0/8 }
- ipBlock: { cidr: 172.16.0.0/12 }
- ipBlock: { cidr: 192.168.0.0/16 }
- ipBlock: { cidr: 100.64.0.0/10 }
- ipBlock: { cidr: 'fc00::/7' }
{{- end -}}

{{- define "publicAddresses" -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except: [10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 169.254.0.0/16, 100.64.0.0/10, 127.0.0.0/8]
- ipBlock:
    cidr: ::/0
    except: ['fc00::/7', 'fe80::/10']
{{- end -}}
