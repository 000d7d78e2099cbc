/**
 * What the manifests of {@code k8s/} come to: read as a cluster would, held to rules, and run in
 * network namespaces.
 */
@NullMarked
package dev.parley.e2e.k8s;

import org.jspecify.annotations.NullMarked;
