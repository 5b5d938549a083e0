// SPDX-License-Identifier: Apache-2.0
// A list that one thread of a block makes on the heap of the device, and that all threads add up. The bug: it is freed by a
// thread that does not wait for the others.
struct Node {
  int value;
  Node* next;
};

extern "C" __global__ void listed(const int* in, int* out) {
  __shared__ Node* list;
  if (threadIdx.x == 0) {
    list = nullptr;
    for (int i = 0; i < 4; ++i) {
      Node* const node = static_cast<Node*>(malloc(sizeof(Node)));
      if (node == nullptr) __trap();
      node->value = in[i];
      node->next = list;
      list = node;
    }
  }
  __syncthreads();
  int sum = 0;
  for (const Node* node = list; node != nullptr; node = node->next) sum += node->value;
  out[threadIdx.x] = sum;
#ifdef FIXED
  __syncthreads();
#endif
  if (threadIdx.x != 0) return;
  for (Node* node = list; node != nullptr;) {
    Node* const next = node->next;
    free(node);
    node = next;
  }
}
