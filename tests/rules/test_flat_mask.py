from __future__ import annotations

from tests.support.rules import keeps, rewrites

test_rewrites = rewrites(
    "TP422",
    {
        "hard negatives of a detector": (
            """
            import torch
            from layers import log_sum_exp

            def hardest(conf_data, targets, num, num_priors):
                conf_t = torch.LongTensor(num, num_priors)
                for idx in range(num):
                    conf_t[idx] = targets[idx]
                pos = conf_t > 0
                batch_conf = conf_data.view(-1, 21)
                loss_c = log_sum_exp(batch_conf) - batch_conf.gather(1, conf_t.view(-1, 1))
                loss_c[pos] = 0  # filter out pos boxes for now
                return loss_c.view(num, -1)
            """,
            """
            import torch
            from layers import log_sum_exp

            def hardest(conf_data, targets, num, num_priors):
                conf_t = torch.LongTensor(num, num_priors)
                for idx in range(num):
                    conf_t[idx] = targets[idx]
                pos = conf_t > 0
                batch_conf = conf_data.view(-1, 21)
                loss_c = log_sum_exp(batch_conf) - batch_conf.gather(1, conf_t.view(-1, 1))
                loss_c[pos.view_as(loss_c)] = 0  # filter out pos boxes for now
                return loss_c.view(num, -1)
            """,
        ),
        "functions of torch, a comparison by its method, a mask in another layout": (
            """
            import torch
            scores = torch.randn(6, 3)
            labels = torch.zeros(3, 2, dtype=torch.long).t()
            pos = labels.ne(0)
            loss = torch.gather(scores, 1, labels.reshape(-1, 1))
            loss[pos] = 0
            """,
            """
            import torch
            scores = torch.randn(6, 3)
            labels = torch.zeros(3, 2, dtype=torch.long).t()
            pos = labels.ne(0)
            loss = torch.gather(scores, 1, labels.reshape(-1, 1))
            loss[pos.reshape_as(loss)] = 0
            """,
        ),
        "what is subtracted is not known, in a file for torch 0.3": (
            """
            import torch
            from torch.autograd import Variable
            from layers import summed
            x = Variable(torch.randn(6, 3), volatile=True)
            labels = torch.zeros(3, 2).long()
            pos = labels > 0
            loss = summed - x.gather(1, labels.view(-1, 1))
            loss[pos] = 0
            """,
            """
            import torch
            from torch.autograd import Variable
            from layers import summed
            x = Variable(torch.randn(6, 3), volatile=True)
            labels = torch.zeros(3, 2).long()
            pos = labels > 0
            loss = summed - x.gather(1, labels.view(-1, 1))
            loss[pos.view_as(loss)] = 0
            """,
        ),
    },
)

test_keeps = keeps(
    "TP422",
    {
        "a mask in its shape": """
            import torch
            scores, labels = torch.randn(6, 3), torch.zeros(2, 3).long()
            pos = labels > 0
            loss = scores.gather(1, labels.view(-1, 1))
            loss[pos.view(-1, 1)] = 0
            """,
        "a tensor in the shape of the mask": """
            import torch
            scores, labels = torch.randn(6, 3), torch.zeros(2, 3).long()
            pos = labels > 0
            loss = scores.gather(1, labels.view(-1, 1))
            loss = loss.view(2, -1)
            loss[pos] = 0
            """,
        "a mask of rows": """
            import torch
            scores, labels = torch.randn(6, 3), torch.zeros(6).long()
            pos = labels > 0
            loss = scores - scores.gather(1, labels.view(-1, 1))
            loss[pos] = 0
            """,
        "a mask of other labels": """
            import torch
            scores = torch.randn(6, 3)
            labels, others = torch.zeros(2, 3).long(), torch.zeros(6, 1).long()
            pos = others > 0
            loss = scores.gather(1, labels.view(-1, 1))
            loss[pos] = 0
            """,
        "labels that were others then": """
            import torch
            scores, labels = torch.randn(6, 3), torch.zeros(6, 1).long()
            pos = labels > 0
            labels = torch.zeros(2, 3).long()
            loss = scores.gather(1, labels.view(-1, 1))
            loss[pos] = 0
            """,
        "labels in another layout": """
            import torch
            scores, labels = torch.randn(2, 3), torch.zeros(2, 3).long()
            pos = labels > 0
            loss = scores.gather(1, labels.view(2, -1))
            loss[pos] = 0
            """,
        "elements that are read": """
            import torch
            scores, labels = torch.randn(6, 3), torch.zeros(2, 3).long()
            pos = labels > 0
            loss = scores.gather(1, labels.view(-1, 1))
            print(loss[pos])
            """,
        "more dimensions than may be known": """
            import torch
            from layers import summed
            scores, labels = torch.randn(6, 3), torch.zeros(2, 3).long()
            pos = labels > 0
            loss = summed - scores.gather(1, labels.view(-1, 1))
            loss[pos] = 0
            """,
        "a function of other scores": """
            import torch
            from layers import log_sum_exp
            def hardest(x, scores):
                labels = torch.zeros(2, 3).long()
                pos = labels > 0
                loss = log_sum_exp(x) - scores.gather(1, labels.view(-1, 1))
                loss[pos] = 0
            """,
        "three dimensions": """
            import torch
            scores, labels = torch.randn(1, 6, 3), torch.zeros(1, 6).long()
            pos = labels > 0
            loss = scores.exp() - scores[0].gather(1, labels.view(-1, 1))
            loss[pos] = 0
            """,
        "labels that may be a vector": """
            import torch
            def hardest(labels, scores):
                pos = labels > 0
                loss = scores.exp() - scores.gather(1, labels.view(-1, 1))
                loss[pos] = 0
            """,
        "a product of matrices": """
            import torch
            scores, labels = torch.randn(6, 3), torch.zeros(2, 3).long()
            pos = labels > 0
            loss = torch.eye(6) @ scores.gather(1, labels.view(-1, 1))
            loss[pos] = 0
            """,
        "a class of the file": """
            import torch
            class Scores:
                def gather(self, dim, index):
                    return index.view(2, 3)
            labels = torch.zeros(2, 3).long()
            pos = labels > 0
            loss = Scores().gather(1, labels.view(-1, 1))
            loss[pos] = 0
            """,
    },
)
