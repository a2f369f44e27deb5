#!/bin/bash
# Prints kube-proxy's configuration for the machine NAME.
. "$(dirname "$0")/lib.sh"
cat <<YAML
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
hostnameOverride: $1
clientConnection: {kubeconfig: $RUN/pki/kube-proxy.kubeconfig}
clusterCIDR: $PODS.0.0/16
detectLocalMode: ClusterCIDR
metricsBindAddress: 127.0.0.1:10249
oomScoreAdj: 0 # to lower it needs CAP_SYS_RESOURCE, which root in a container may not have
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s} # leave the kernel's
YAML
