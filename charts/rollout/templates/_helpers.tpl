{{- define "rollout.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- /* At most 40 characters, since suffixes follow. */ -}}
{{- define "rollout.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "rollout.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "rollout.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "rollout.operatorName" -}}
{{- printf "%s-operator" (include "rollout.fullname" .) -}}
{{- end -}}

{{- /* For objects of the whole cluster: two releases of one name in two namespaces keep apart. */ -}}
{{- define "rollout.clusterName" -}}
{{- printf "%s-%s" .Release.Namespace (include "rollout.operatorName" .) -}}
{{- end -}}

{{- define "rollout.serviceAccountName" -}}
{{- $sa := .Values.serviceAccount -}}
{{- if $sa.create -}}{{- default (include "rollout.operatorName" .) $sa.name -}}{{- else -}}{{- default "default" $sa.name -}}{{- end -}}
{{- end -}}

{{- /* The argument is (dict "root" $ "component" "operator"). */ -}}
{{- define "rollout.selectorLabels" -}}
app.kubernetes.io/name: {{ include "rollout.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "rollout.labels" -}}
{{ include "rollout.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: rollout
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- /* The argument is (dict "root" $ "image" .Values.image). */ -}}
{{- define "rollout.imageOf" -}}
{{- $registry := default .image.registry (default dict .root.Values.global).imageRegistry -}}
{{- with $registry -}}{{ trimSuffix "/" . }}/{{- end -}}{{ .image.repository }}
{{- if .image.digest -}}@{{ .image.digest }}{{- else -}}:{{ default .root.Chart.AppVersion .image.tag }}{{- end -}}
{{- end -}}

{{- define "rollout.image" -}}
{{- include "rollout.imageOf" (dict "root" . "image" .Values.image) -}}
{{- end -}}

{{- /* A JSON list of names. */ -}}
{{- define "rollout.pullSecrets" -}}
{{- $names := list -}}
{{- range concat (default list (default dict .Values.global).imagePullSecrets) (default list .Values.imagePullSecrets) -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- uniq $names | toJson -}}
{{- end -}}

{{- /* "true" where ClusterRoles may be made, else empty. */ -}}
{{- define "rollout.clusterRoles" -}}
{{- $asked := .Values.rbac.clusterRoles -}}
{{- if kindIs "bool" $asked -}}{{- if $asked -}}true{{- end -}}{{- else if not .Values.watchNamespaces -}}true{{- end -}}
{{- end -}}

{{- define "rollout.metricsMode" -}}
{{- $mode := .Values.metrics.mode | default (ternary "secure" "localhost" (eq (include "rollout.clusterRoles" .) "true")) -}}
{{- if and (eq $mode "secure") (ne (include "rollout.clusterRoles" .) "true") -}}
{{- fail "metrics.mode secure asks the API server who reads the metrics, which needs a ClusterRole: set rbac.clusterRoles to true, or metrics.mode to localhost" -}}
{{- end -}}
{{- if and (ne $mode "secure") .Values.metrics.serviceMonitor.enabled -}}
{{- fail "metrics.serviceMonitor needs metrics.mode secure: on localhost Prometheus cannot reach the metrics" -}}
{{- end -}}
{{- $mode -}}
{{- end -}}

{{- define "rollout.extraCaFile" -}}
{{- if .Values.extraCa.configMap -}}/etc/rollout-ca/{{ .Values.extraCa.key }}{{- end -}}
{{- end -}}

{{- /* The rules of the operator on the objects of a namespace: exactly what it does. */ -}}
{{- define "rollout.namespaceRules" -}}
- apiGroups: [rollout.run]
  resources: [rolloutruns]
  # delete: what ttlSecondsAfterFinished asks for.
  verbs: [list, watch, delete]
- apiGroups: [rollout.run]
  resources: [rolloutruns/status]
  verbs: [patch]
# Children name their run as an owner whose deletion waits for them; some clusters let only those do that who have this right.
- apiGroups: [rollout.run]
  resources: [rolloutruns/finalizers]
  verbs: [update]
# Whether the namespace of a run is being deleted, asked when all of its pods are ending.
- apiGroups: ['']
  resources: [namespaces]
  verbs: [get]
- apiGroups: ['']
  resources: [pods]
  verbs: [list, watch, create, delete]
# Those of users are read by their names: lists, and the Secrets of Redis servers.
- apiGroups: ['']
  resources: [configmaps, secrets, persistentvolumeclaims]
  verbs: [get, list, watch, create, patch]
- apiGroups: ['']
  resources: [services]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [apps]
  resources: [deployments]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [list, watch, create, patch, delete]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- if .Values.certManager.enabled }}
- apiGroups: [cert-manager.io]
  resources: [certificates]
  verbs: [get, create, patch]
- apiGroups: [cert-manager.io]
  resources: [issuers]
  verbs: [create, patch]
{{- end }}
{{- end -}}

{{- /* operator.yaml, the settings of the operator. */ -}}
{{- define "rollout.settings" -}}
logLevel: {{ .Values.operator.logLevel }}
runsAtOnce: {{ .Values.operator.runsAtOnce }}
watchNamespaces: {{ default list .Values.watchNamespaces | toJson }}
watchNodes: {{ eq (include "rollout.clusterRoles" .) "true" }}
leaderElection:
  enabled: {{ .Values.leaderElection.enabled }}
  lease: {{ include "rollout.operatorName" . }}
  leaseDuration: {{ .Values.leaderElection.leaseDuration }}
  renewDeadline: {{ .Values.leaderElection.renewDeadline }}
  retryPeriod: {{ .Values.leaderElection.retryPeriod }}
metrics:
  mode: {{ include "rollout.metricsMode" . }}
  port: 8443
  {{- if .Values.metrics.tlsSecret }}
  tlsDir: /etc/rollout-metrics-tls
  {{- end }}
probes:
  port: 8081
pods:
  image: {{ include "rollout.image" . }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  imagePullSecrets: {{ include "rollout.pullSecrets" . }}
  openshift: {{ .Values.runs.openshift | toJson }}
  networkPolicy: {{ .Values.runs.networkPolicy }}
  {{- with include "rollout.extraCaFile" . }}
  extraCaFile: {{ . }}
  {{- end }}
  {{- if or .Values.proxy.httpProxy .Values.proxy.httpsProxy }}
  proxy:
    http: {{ .Values.proxy.httpProxy | quote }}
    https: {{ .Values.proxy.httpsProxy | quote }}
    none: {{ .Values.proxy.noProxy | quote }}
  {{- end }}
certManager: {{ .Values.certManager.enabled }}
signals: {{ default list .Values.signals | toJson }}
{{- end -}}

{{- /* The proxy of the operator's own calls, in both spellings, since programs differ in which one they read. */ -}}
{{- define "rollout.proxyEnv" -}}
{{- if or .Values.proxy.httpProxy .Values.proxy.httpsProxy -}}
{{- range $name, $value := dict "HTTP_PROXY" .Values.proxy.httpProxy "HTTPS_PROXY" .Values.proxy.httpsProxy "NO_PROXY" .Values.proxy.noProxy }}
{{- if $value }}
- name: {{ $name }}
  value: {{ $value | quote }}
- name: {{ lower $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end -}}
{{- end -}}
