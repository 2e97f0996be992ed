/* What containers and strings of the libraries have outside their headers. */
#include "cpp.h"

/* Nodes of std::map and std::set as libstdc++ has them. Its trees are red and black; these grow as they come, which
   no program notices: only the header is red, by which `--` tells it from the root. */
enum { RED, BLACK };
struct tree_node {
    int colour;
    struct tree_node *parent, *left, *right; /* of the header: the root, the first and the last node */
};

static inline struct tree_node *next_node(struct tree_node *node)
{
    if (node->right) {
        node = node->right;
        while (node->left)
            node = node->left;
        return node;
    }
    struct tree_node *parent = node->parent;
    while (node == parent->right) {
        node = parent;
        parent = node->parent;
    }
    return node->right == parent ? node : parent; /* the header of a tree whose root is the last node */
}
static inline struct tree_node *node_before(struct tree_node *node)
{
    if (node->colour == RED)
        return node->right;
    if (node->left) {
        node = node->left;
        while (node->right)
            node = node->right;
        return node;
    }
    struct tree_node *parent = node->parent;
    while (node == parent->left) {
        node = parent;
        parent = node->parent;
    }
    return parent;
}
/* Any node may be moved when the tree changes, so whoever looks at the tree meanwhile races with that. */
static inline void change(struct tree_node *header)
{
    header->parent = header->parent;
    header->left = header->left;
    header->right = header->right;
}
/* Puts a node, or none, where another one stands. */
static inline void put_in_place(struct tree_node *header, struct tree_node *old, struct tree_node *node)
{
    if (header->parent == old)
        header->parent = node;
    else if (old->parent->left == old)
        old->parent->left = node;
    else
        old->parent->right = node;
    if (node)
        node->parent = old->parent;
}

/// _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base, _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base, _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base, _ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base: Iterators of std::map and std::set of libstdc++.
struct tree_node *_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(struct tree_node *node) { return next_node(node); }
struct tree_node *_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(struct tree_node *node) { return next_node(node); }
struct tree_node *_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(struct tree_node *node) { return node_before(node); }
struct tree_node *_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(struct tree_node *node) { return node_before(node); }

/// _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_, _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_: Their trees are not balanced here.
void _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(_Bool is_left, struct tree_node *node, struct tree_node *parent, struct tree_node *header)
{
    change(header);
    node->colour = BLACK;
    node->parent = parent;
    node->left = node->right = NULL;
    if (parent == header)
        header->parent = header->left = header->right = node;
    else if (is_left) {
        parent->left = node;
        if (parent == header->left)
            header->left = node;
    } else {
        parent->right = node;
        if (parent == header->right)
            header->right = node;
    }
}
struct tree_node *_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(struct tree_node *node, struct tree_node *header)
{
    change(header);
    if (header->left == node)
        header->left = next_node(node);
    if (header->right == node)
        header->right = node_before(node);
    if (!node->left)
        put_in_place(header, node, node->right);
    else if (!node->right)
        put_in_place(header, node, node->left);
    else {
        struct tree_node *next = node->right;
        while (next->left)
            next = next->left;
        if (next != node->right) {
            put_in_place(header, next, next->right);
            next->right = node->right;
            next->right->parent = next;
        }
        put_in_place(header, node, next);
        next->left = node->left;
        next->left->parent = next;
    }
    return node;
}

/* The same of libc++, where the last child of all is that of the end, a node with nothing but a left child. */
struct tree_node_of_libcxx {
    struct tree_node_of_libcxx *left, *right, *parent;
    _Bool is_black;
};
static inline void change_of_libcxx(struct tree_node_of_libcxx *root)
{
    root->parent->left = root->parent->left;
    root->parent = root->parent;
    root->left = root->left;
    root->right = root->right;
}
static inline void put_in_place_of_libcxx(struct tree_node_of_libcxx *old, struct tree_node_of_libcxx *node)
{
    if (old->parent->left == old)
        old->parent->left = node;
    else
        old->parent->right = node;
    if (node)
        node->parent = old->parent;
}

/// _ZNSt3__127__tree_balance_after_insert, _ZNSt3__113__tree_remove: std::map and std::set of libc++, which are not balanced here either.
void _ZNSt3__127__tree_balance_after_insert(struct tree_node_of_libcxx *root, struct tree_node_of_libcxx *node)
{
    change_of_libcxx(root);
    node->is_black = 1;
}
void _ZNSt3__113__tree_remove(struct tree_node_of_libcxx *root, struct tree_node_of_libcxx *node)
{
    change_of_libcxx(root);
    if (!node->left)
        put_in_place_of_libcxx(node, node->right);
    else if (!node->right)
        put_in_place_of_libcxx(node, node->left);
    else {
        struct tree_node_of_libcxx *next = node->right;
        while (next->left)
            next = next->left;
        if (next != node->right) {
            put_in_place_of_libcxx(next, next->right);
            next->right = node->right;
            next->right->parent = next;
        }
        put_in_place_of_libcxx(node, next);
        next->left = node->left;
        next->left->parent = next;
    }
}

struct list_node {
    struct list_node *next, *previous;
};

/// _ZNSt8__detail15_List_node_base7_M_hookEPS0_, _ZNSt8__detail15_List_node_base9_M_unhookEv, _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_: std::list of libstdc++.
void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(struct list_node *self, struct list_node *position)
{
    self->next = position;
    self->previous = position->previous;
    position->previous->next = self;
    position->previous = self;
}
void _ZNSt8__detail15_List_node_base9_M_unhookEv(struct list_node *self)
{
    self->previous->next = self->next;
    self->next->previous = self->previous;
}
void _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(struct list_node *self, struct list_node *first, struct list_node *end)
{
    if (self == end)
        return;
    struct list_node *before = self->previous, *last = end->previous;
    first->previous->next = end;
    end->previous = first->previous;
    before->next = first;
    first->previous = before;
    last->next = self;
    self->previous = last;
}

/// _ZSt11_Hash_bytesPKvmm: `std::hash` of libstdc++, of what has several bytes: some number, not that of the library.
size_t _ZSt11_Hash_bytesPKvmm(const unsigned char *bytes, size_t length, size_t seed)
{
    for (size_t at = 0; at < length; at++)
        seed = seed * 31 + bytes[at];
    return seed;
}

/// _ZNSaIcEC1Ev, _ZNSaIcEC2ERKS_, _ZNSaIcED1Ev, _ZNSaIcED2Ev: `std::allocator<char>` has nothing to do.
void _ZNSaIcEC1Ev(void *self) {}
void _ZNSaIcEC2ERKS_(void *self, const void *other) {}
void _ZNSaIcED1Ev(void *self) {}
void _ZNSaIcED2Ev(void *self) {}
