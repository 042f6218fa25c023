{{/* On every object. */}}
{{- define "rwo-guard.labels" -}}
app.kubernetes.io/name: rwo-guard
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* Without the version: a selector can never be changed. */}}
{{- define "rwo-guard.selectorLabels" -}}
app.kubernetes.io/name: rwo-guard
{{- end }}

{{- define "rwo-guard.image" -}}
{{- with .Values.image -}}
{{ required "image.repository: no image is published yet, so give the one that you built (README, Install)" .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{/* The webhook configurations whose caBundle is ours to set: all of them are validating ones, and the last is that alone. */}}
{{- define "rwo-guard.validating" -}}
[rwo-guard{{ if .Values.guards.enabled }}, rwo-guard-guards{{ if .Values.guards.unfencedForceDelete }}, rwo-guard-force-delete{{ end }}{{ end }}]
{{- end }}

{{/* Nothing, or a failure where two values contradict each other. */}}
{{- define "rwo-guard.consistent" -}}
{{- with .Values.certificates -}}
{{- if ne .source "existing-secret" -}}
{{- if .existingSecret }}{{ fail "certificates.existingSecret is for certificates.source=existing-secret" }}{{ end -}}
{{- if .caBundle }}{{ fail "certificates.caBundle is for certificates.source=existing-secret: otherwise the server or cert-manager sets it" }}{{ end -}}
{{- end -}}
{{- if and .issuerRef (ne .source "cert-manager") }}{{ fail "certificates.issuerRef is for certificates.source=cert-manager" }}{{ end -}}
{{- end -}}
{{- with .Values.clientAuthentication }}{{ if and .allowedNames (not .ca) }}{{ fail "clientAuthentication.allowedNames is for clientAuthentication.ca" }}{{ end }}{{ end -}}
{{- with .Values.guards }}{{ if and .unfencedForceDelete (not .enabled) }}{{ fail "guards.unfencedForceDelete is for guards.enabled" }}{{ end }}{{ end -}}
{{- if eq (int .Values.ports.webhook) (int .Values.ports.metrics) }}{{ fail "ports.webhook and ports.metrics must differ" }}{{ end -}}
{{- end }}

{{/* The files of the ConfigMap. The server reads them in the order of their names. */}}
{{- define "rwo-guard.config" -}}
{{- if ne .Values.certificates.source "self-made" }}
certificates.yaml: |
  certificates: { source: files }
{{- end }}
{{- with .Values.clientAuthentication }}
{{- if .ca }}
client-authentication.yaml: |
  clientAuthentication:
    caFile: /etc/rwo-guard/config/client-ca.crt
    {{- with .allowedNames }}
    allowedNames: {{- toYaml . | nindent 6 }}
    {{- end }}
client-ca.crt: |
  {{- .ca | trim | nindent 2 }}
{{- end }}
{{- end }}
{{- if .Values.guards.enabled }}
guards.yaml: |
  webhookConfigurations:
    validating: {{ include "rwo-guard.validating" . }}
    mutating: [rwo-guard, rwo-guard-guards]
{{- end }}
config.yaml: |
  {{- toYaml .Values.config | nindent 2 }}
{{- end }}

{{/* The Secret that is mounted, where the server makes no certificates. */}}
{{- define "rwo-guard.mountedSecret" -}}
{{- if eq .Values.certificates.source "cert-manager" -}}
rwo-guard-cert-manager-tls
{{- else if eq .Values.certificates.source "existing-secret" -}}
{{ required "certificates.existingSecret is the name of a Secret with tls.crt and tls.key" .Values.certificates.existingSecret }}
{{- end }}
{{- end }}

{{/* A ClusterRole's or a Role's binding to the account that the pods run as; a list of the context, the kind and the name. */}}
{{- define "rwo-guard.binding" -}}
{{- $root := index . 0 }}{{ $kind := index . 1 }}{{ $name := index . 2 -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}Binding
metadata:
  name: {{ $name }}
  {{- if eq $kind "Role" }}
  namespace: {{ $root.Release.Namespace }}
  {{- end }}
  labels: {{- include "rwo-guard.labels" $root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ $kind }}
  name: {{ $name }}
subjects:
  - kind: ServiceAccount
    name: rwo-guard
    namespace: {{ $root.Release.Namespace }}
{{- end }}
