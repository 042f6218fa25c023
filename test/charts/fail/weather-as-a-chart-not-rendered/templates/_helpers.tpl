{{- define "weather.fullname" -}}{{ .Release.Name }}-weather{{- end }}
